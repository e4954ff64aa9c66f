/** Escaping for Markdown that the editor renders: text of papers is shown as text, never run. */

/** The text with every character that Markdown or HTML could act on escaped; one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_{}[\]()#+\-.!|>~$:@/"']/g, '\\$&');
}

/** The URL when it is http(s) and safe inside a Markdown link's angle brackets, else null. */
export function safeLink(url: string | null): string | null {
  if (!url) return null;
  try {
    const parsed = new URL(url);
    if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return null;
    return parsed.href.replace(/[<>\s"'`\\()[\]]/g, (c) =>
      encodeURIComponent(c).replace(/[()']/g, (d) => `%${d.charCodeAt(0).toString(16)}`),
    );
  } catch {
    return null;
  }
}
