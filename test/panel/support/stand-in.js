/* Runs in the page before its script: the API that VS Code gives a webview, and the theme's variables. */
(() => {
  const kept = 'kept-by-vscode';
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => void window.hostReceive(JSON.parse(JSON.stringify(message))),
    getState: () => JSON.parse(sessionStorage.getItem(kept) ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem(kept, JSON.stringify(state)),
  });
  // VS Code opens every link that is clicked, whatever the page has made of the click.
  window.clickedLinks = [];
  window.addEventListener('click', (event) => {
    const link = event.composedPath().find((each) => each.nodeName === 'A' && each.href !== '');
    if (link === undefined) return;
    event.preventDefault();
    window.clickedLinks.push(link.href);
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  });
  document.addEventListener('DOMContentLoaded', () => {
    for (const [name, value] of Object.entries(window.theme.colors)) {
      document.documentElement.style.setProperty(`--vscode-${name}`, value);
    }
    document.body.classList.add(window.theme.kind);
  });
})();
