/** What kind of publication a paper's venue is, told from its name and its address. */
import type { Paper } from '../engine/engine';

export type VenueKind = 'preprint' | 'proceedings' | 'journal' | 'other';

const PREPRINT =
  /^(?:arxiv|corr|biorxiv|medrxiv|chemrxiv|ssrn|preprints?|openreview|hal|zenodo|osf)\b/i;
/** Journals whose names read like conferences. */
const PROCEEDINGS_JOURNAL =
  /\bproceedings of the (?:national academy|ieee\b(?!.*(?:conference|symposium|workshop|cvf))|royal|vldb|acm on|institution of|london math|american math|edinburgh)|\bpnas\b|\bpvldb\b|\bpacm\b/i;
const PROCEEDINGS =
  /\b(?:proceedings|proc\.|conference|conf\.|workshop|symposium|symp\.|meeting|findings of|congress|colloquium|advances in neural information|lecture notes in computer science|shared task|semeval)\b/i;
const JOURNAL =
  /\b(?:journal|j\.|transactions|trans\.|letters|magazine|annals|bulletin|quarterly|reviews?|acta|archives?|nature|science|sciences|cell|lancet|plos|ieee access|frontiers in|bmc|elife|computational linguistics|machine learning|artificial intelligence|pattern recognition|bioinformatics|neurocomputing|neural networks|neural computation|information sciences|communications of the acm|computing surveys|distill|scientific reports|sensors|jmlr|tmlr|tacl|tpami|jair|tois|tkde|tnnls|ijcv|ral|ra-l)\b/i;
const ACRONYM =
  /^(?:aaai|accv|acl|acml|aistats|asru|bmvc|chi|cikm|clef|coling|collas|colm|colt|conll|corl|cscw|cvpr|eacl|ecai|eccv|ecir|ecml|ecml-pkdd|emnlp|esann|fat\*?|facct|gecco|hri|icassp|iccv|icdar|icde|icdm|iclr|icml|icra|icse|icsme|ijcai|ijcnlp|ijcnn|interspeech|iros|isca|itsc|iui|iwslt|kdd|l4dc|lrec|lrec-coling|miccai|midl|mlsys|naacl|naacl-hlt|ndss|neurips|nips|nldb|nsdi|oopsla|osdi|pakdd|pldi|pods|popl|ranlp|recsys|rss|sdm|sigdial|sigir|sigmod|sigspatial|siggraph|slt|sosp|tacas|trec|uai|uist|usenix|vis|vldb|wacv|wmt|wsdm|www)\b/i;
/** "ICRA 2021", "CHI '24": an acronym with its year. */
const ACRONYM_YEAR =
  /^[A-Z][A-Za-z*-]{1,14}(?:[ /-][A-Z]{2,10})?[ -]?(?:'|’)?(?:\d{2}|(?:19|20)\d{2})$/;
const PROCEEDINGS_URL =
  /proceedings\.mlr\.press|openaccess\.thecvf\.com|papers\.(?:nips|neurips)\.cc|proceedings\.neurips\.cc|www\.ecva\.net|www\.ijcai\.org|roboticsproceedings\.org|aclanthology\.org\/(?!\d{4}\.(?:tacl|cl)-)(?![QJ]\d)/i;
const JOURNAL_URL = /aclanthology\.org\/(?:\d{4}\.(?:tacl|cl)-|[QJ]\d)|jmlr\.org\/papers/i;

/** Kind of a paper's venue; a missing one is a preprint where the paper is on a preprint server. */
export function venueKind(paper: Paper, arxivId: string | null): VenueKind {
  const venue = paper.venue?.trim() ?? '';
  const url = paper.url ?? '';
  if (!venue || PREPRINT.test(venue)) {
    if (arxivId || venue) return 'preprint';
    if (JOURNAL_URL.test(url)) return 'journal';
    return PROCEEDINGS_URL.test(url) ? 'proceedings' : 'other';
  }
  if (PROCEEDINGS_JOURNAL.test(venue)) return 'journal';
  if (PROCEEDINGS.test(venue)) return 'proceedings';
  if (JOURNAL_URL.test(url)) return 'journal';
  if (ACRONYM_YEAR.test(venue) || ACRONYM.test(venue)) return 'proceedings';
  if (JOURNAL.test(venue)) return 'journal';
  if (PROCEEDINGS_URL.test(url)) return 'proceedings';
  // A named venue with a DOI of its own is nearly always a journal.
  return paper.doi && !/10\.48550\//.test(paper.doi) ? 'journal' : 'other';
}
