/**
 * Known control words and their arguments: `s` star, `o` brackets, `m` braces (dropped), `t` braces
 * (read as text). A word without `t` leaves nothing.
 */
const TABLE = `
 vspace sm; hspace sm; vskip; addvspace m; setlength mm; addtolength mm; setcounter mm; addtocounter mm;
 stepcounter m; refstepcounter m; value m; arabic m; alph m; Alph m; roman m; Roman m; fnsymbol m;
 counterwithin smm; counterwithout smm; numberwithin omm; newcounter mo; newlength m; settowidth mm;
 includegraphics soom; includesvg om; includepdf om; graphicspath m; DeclareGraphicsExtensions m;
 caption som; captionof smom; captionsetup om; subcaption om; subfloat oom; subcaptionbox oomom; legend m;
 footnotetext om; thanks m; marginpar om; marginnote omo; sidenote oom; endnote om; tablefootnote om;
 todo om; missingfigure om; fixme m; index om; glossary m; sindex om; nomenclature omm;
 documentclass oom; usepackage oom; RequirePackage oom; PassOptionsToPackage mm; PassOptionsToClass mm;
 LoadClass om; ProvidesPackage mo; ProvidesClass mo; NeedsTeXFormat mo; usetikzlibrary m; tikzset m;
 hypersetup m; lstset m; lstdefinestyle mm; lstdefinelanguage omomo; setminted om; sisetup m; geometry m;
 definecolor ommm; colorlet mm; color om; pagecolor om; rowcolor omoo; columncolor om; cellcolor om;
 definecolorset ommm; DeclareCaptionFormat mm; DeclareMathOperator smm; newtheorem smomo; theoremstyle m;
 newtheoremstyle mmmmmmmmm; declaretheorem om; newif; newsavebox m; sbox mm; usebox m; savebox moom;
 bibliography m; bibliographystyle m; addbibresource om; printbibliography o; bibitem om; nocite m;
 pagestyle m; thispagestyle m; pagenumbering m; markboth mm; markright m; fancyhead om; fancyfoot om;
 fancyhf om; lhead om; chead om; rhead om; lfoot om; cfoot om; rfoot om; titleformat smommmmo;
 titlespacing smmmmo; setlist om; newlist mmm; renewlist mmm; lipsum o; blindtext o; Blindtext o;
 title om; subtitle om; author om; date m; affiliation om; affil om; address om; email om; institute om;
 institution m; authornote m; authornotemark o; orcid m; orcidlink m; keywords m; ccsdesc om; acmConference ommm;
 acmJournal m; acmYear m; acmVolume m; acmNumber m; acmArticle m; acmDOI m; acmISBN m; acmPrice m;
 acmMonth m; setcopyright m; copyrightyear m; received om; city m; country m; state m; postcode m;
 streetaddress m; icmltitle m; icmltitlerunning m; icmlauthor mm; icmlaffiliation mm;
 icmlcorrespondingauthor mm; icmlkeywords m; icmlsetsymbol mm; titlerunning m; authorrunning m;
 markboth mm; IEEEpubid m; IEEEauthorblockN m; IEEEauthorblockA m; IEEEspecialpapernotice m; corref m; cortext om; ead om;
 fnref m; fntext om; tnotetext om; tnoteref m; runauthor m; runtitle m; shorttitle m; shortauthors m; hline; cline m;
 toprule o; midrule o; bottomrule o; cmidrule om; specialrule mmm; addlinespace o; rule omm; multirow ommoo;
 rotatebox omt; resizebox smmt; scalebox mot; reflectbox t; raisebox moot; parbox ooomt; makebox oot;
 framebox oot; colorbox omt; fcolorbox ommt; textcolor omt; multicolumn mmt; shortstack ot; adjustbox mt;
 href omt; hyperref ot; hyperlink mt; hypertarget mt; hyperdef mmt; phantomsection;
 foreignlanguage mt; selectlanguage m; textlatin t; texorpdfstring tm; addcontentsline mmm; addtocontents mm;
 tableofcontents; phantom m; hphantom m; vphantom m; smash om; ensuremath m; fontsize mm; fontfamily m;
 fontseries m; fontshape m; usefont mmmm; linespread m; baselinestretch; hyphenation m; DeclareUnicodeCharacter mm;
 newcolumntype mom; input m; include m; subfile m; includeonly m; import mm; subimport mm; bibinput m;
 makeatletter; makeatother; AtBeginDocument m; AtEndDocument m; AddToHook omm; g@addto@macro mm; patchcmd mmmmm;
 pretocmd mmmm; apptocmd mmmm; crefname mmm; Crefname mmm; crefformat mm; crefrangeformat mm; labelformat mm;
 newacronym ommm; DeclareAcronym mm; acrodef mom; newglossaryentry mm; glsresetall; acresetall; makeglossaries; loadglsentries m;
 pdfbookmark omm; pdfinfo m; pdfoutput; special m; write m; immediate; typeout m; message m; PackageWarning mm;
 mathindent; allowdisplaybreaks o; pagebreak o; nopagebreak o; nolinebreak o; enlargethispage sm; FloatBarrier; clearpage;
 cleardoublepage; newpage; balance; onecolumn; twocolumn o; hfuzz; vfill; hfill; dotfill; hrulefill; hrule; vrule;
 maketitle; appendix; frontmatter; mainmatter; backmatter; centering; raggedright; raggedleft; noindent;
 indent; protect; relax; leavevmode; xspace; sloppy; fussy; bfseries; itshape; small; tikz om; pgfplotsset m;
 draw; node; addplot; includecomment m; excludecomment m; specialcomment mmm; epigraph tm; dedicatory m;
 RaggedRight; setstretch m; doublespacing; singlespacing; onehalfspacing; linenumbers; modulolinenumbers o; tnote m;
 setkeys mm; newboolean m; setboolean mm; ifthenelse mtt; nobibliography m; balancecolumns; crefalias mm; csname; endcsname;
 newtcolorbox omoom; tcbset m; newmdenv om; surroundwithmdframed om; newfloat mmm; floatstyle m; restylefloat m; floatname mm; floatplacement mm;
 algrenewcommand mm; algnewcommand mm; SetKwInOut mm; SetKwInput mm; SetKwFunction mm; DontPrintSemicolon; State; contentsline mmm;
 begingroup; endgroup; bgroup; egroup; font; nointerlineskip; unskip; ignorespaces; looseness; strut; null; and; And; AND;
 sethlcolor m; setulcolor m; sout t; listoftodos; listoffigures; listoftables; printglossary o; printglossaries; printindex;
 renewenvironment m; inst m; footnotesize; newblock; urlstyle m; hypertarget mt; textsuperscript t; textsubscript t;
 DeclarePairedDelimiter mmm; DeclarePairedDelimiterX momm; glsunset m; glsreset m; mathchardef; chardef; setmainfont om; setsansfont om;
 setmonofont om; newfontfamily mom; defaultfontfeatures m; setCJKmainfont om; tcbuselibrary m; lstinputlisting om; inputminted omm; verbatiminput sm;
 VerbatimInput om; externalbibliography m; authorcontributions t; funding t; conflictsofinterest t; AuthorNames m; Title m; Author m;
 pgfmathsetmacro mm; foreach; setcitestyle m; bibpunct omm; DeclareFieldFormat mm; ExecuteBibliographyOptions m; DeclareSourcemap m;
 emph t; textbf t; textit t; texttt t; textsf t; textrm t; textsc t; textsl t; textup t; textmd t; textlf t;
 textnormal t; textssc t; textsw t; underline t; uline t; uuline t; uwave t; dashuline t; dotuline t;
 mbox t; fbox t; MakeUppercase t; MakeLowercase t; MakeTextUppercase t; MakeTextLowercase t
`;

/** Formatting whose short names drafts also give to macros of their own, which come first. */
const OFTEN_TAKEN = `
 ul t; hl t; st t; so t; caps t; text t; code t; pkg t; proglang t; lowercase t; uppercase t; textls ot
`;

export const SIGNATURES = signatures(TABLE);
export const LATE_SIGNATURES = signatures(OFTEN_TAKEN);

function signatures(table: string): ReadonlyMap<string, string> {
  return new Map(
    table
      .split(';')
      .map((entry) => entry.trim().split(/\s+/))
      .filter((entry) => entry[0] !== '')
      .map(([name = '', signature = '']) => [name, signature]),
  );
}

/** Headings and their levels; 7 opens no section. */
export const HEADINGS: ReadonlyMap<string, number> = new Map([
  ['part', 1],
  ['chapter', 1],
  ['section', 2],
  ['subsection', 3],
  ['subsubsection', 4],
  ['frametitle', 3],
  ['framesubtitle', 4],
  ['paragraph', 7],
  ['subparagraph', 7],
  ['minisec', 7],
]);

/** Habitual shorthands that a style file defines; the draft's own definition comes first. */
export const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['eg', 'e.g.'],
  ['Eg', 'E.g.'],
  ['ie', 'i.e.'],
  ['Ie', 'I.e.'],
  ['etal', 'et al.'],
  ['etc', 'etc.'],
  ['cf', 'cf.'],
  ['vs', 'vs.'],
  ['wrt', 'w.r.t.'],
  ['iid', 'i.i.d.'],
  ['aka', 'a.k.a.'],
]);

/** Dropped with the space before them: they point to a source. */
export const CITE =
  /^(?:[a-zA-Z]*[cC]ite[a-zA-Z]*|Cite[a-zA-Z]*|nptextcite|onlinecite|citealp|shortcite|bibentry)$/;
/** Dropped with the space before them: they point to a place of the draft. */
export const REFERENCE =
  /^(?:[a-zA-Z]*ref|[cC]refrange|label|labelcref|namecref|nameCref|tag|subref|pageref)$/;
/** Dropped with the space before them: they are read elsewhere. */
export const NOTES: ReadonlyMap<string, string> = new Map([
  ['footnote', 'om'],
  ['footnotemark', 'o'],
  ['thanks', 'm'],
  ['endnote', 'om'],
  ['sidenote', 'oom'],
  ['tablefootnote', 'om'],
  ['index', 'om'],
  ['tnoteref', 'm'],
  ['tnote', 'm'],
  ['fnref', 'm'],
]);

/** Acronym commands and the ending they add to the short form. */
export const ACRONYM =
  /^(?:[gG]ls|GLS|[gG]lspl|[gG]lsdesc|[gG]lstext|[gG]lsfirst|[aA]cr(?:short|long|full)(?:pl)?|[gG]lsxtr(?:short|long|full)(?:pl)?|[aA]c|[aA]c[sflp]|[aA]cfp|[aA]clp|[aA]csp)$/;
