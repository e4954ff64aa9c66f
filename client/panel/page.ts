/** The page that a webview of the panel loads. */

export interface PageSources {
  /** `webview.cspSource`. */
  cspSource: string;
  /** Addresses of the built script and style sheet, as the webview may load them. */
  script: string;
  style: string;
  /** Fresh for every page. */
  nonce: string;
  /** Where the page stands: its background is that of the side bar or of an editor. */
  place: 'view' | 'editor';
}

/**
 * The page: one script by nonce, one style sheet and its icon font from the extension, nothing else.
 * Styles of the components are constructed style sheets, which a policy does not concern.
 */
export function panelPage({ cspSource, script, style, nonce, place }: PageSources): string {
  const policy = [
    `default-src 'none'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Ratio</title>
</head>
<body class="in-${place}">
<div id="ratio"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
