/** What is done with an environment, by its name without a star. */

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** Their text is taken raw up to `\end{…}`; names as written. */
export const VERBATIM = set(
  `verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting lstlisting* minted minted*
  alltt filecontents filecontents* lstcode Code CodeInput CodeOutput Sinput Soutput pycode
  pyconsole luacode luacode* asy sageblock codeblock`,
);

/** Comments in the form of an environment. */
export const COMMENT_LIKE = set('comment');

/** Left out as a whole: they float or stand by themselves. */
export const DROPPED = set(
  `figure table wrapfigure wraptable sidewaysfigure sidewaystable subfigure subtable
  SCfigure SCtable floatfigure marginfigure margintable teaserfigure longtable longtabu tabular
  tabularx tabulary tabu tblr longtblr NiceTabular xltabular supertabular deluxetable threeparttable
  ThreePartTable tablenotes array algorithm algorithm2e algorithmic algorithmicx procedure function
  listing program pseudocode tikzpicture tikzcd pgfpicture circuitikz axis picture pspicture
  forest feynman feynmandiagram prooftree mathpar bnf grammar thebibliography filecontents CCSXML
  keywords IEEEkeywords keyword titlepage highlights textblock overpic animateinline theindex
  bytefield ganttchart pgfonlayer scope verbbox lrbox`,
);

/** Display math. */
export const DISPLAY = set(
  `equation align gather multline eqnarray displaymath flalign alignat xalignat xxalignat dmath dgroup
  darray IEEEeqnarray IEEEeqnarrayBox subequations aligned alignedat gathered split cases math* numcases
  subnumcases empheq matrix pmatrix bmatrix optimization mini maxi mini! maxi! argmini argmaxi`,
);

/** Arguments after `\begin{…}` of those that are read; `o` in brackets, `m` in braces. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  minipage: 'ooom',
  multicols: 'mo',
  itemize: 'o',
  enumerate: 'oo',
  description: 'o',
  compactitem: 'o',
  compactenum: 'o',
  inparaenum: 'o',
  spacing: 'm',
  adjustbox: 'm',
  adjustwidth: 'mm',
  list: 'mm',
  tcolorbox: 'o',
  mdframed: 'o',
  otherlanguage: 'om',
  hyphenrules: 'm',
  acronym: 'o',
  appendices: 'o',
  quotation: 'o',
  quote: 'o',
  abstract: 'o',
  singlespace: '',
  center: '',
  figure: 'o',
  column: 'om',
  block: '',
  document: '',
  linenomath: '',
  CJK: 'omm',
  CJK_: 'omm',
  savenotes: '',
  changemargin: 'mm',
  widetext: '',
  strip: 'o',
};
