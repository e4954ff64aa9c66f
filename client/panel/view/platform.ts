/** The system that the page is shown on; the extension may run on another one. */

/** True on a Mac. */
export function onMac(): boolean {
  return /Mac OS X|Macintosh/.test(navigator.userAgent);
}
