/**
 * Markers proposed from knowledge of the language: how authors say that they respond to, widen or
 * narrow what they have just said, in abstracts and in full text.
 */
import type { Phrases } from './types';

const proposed = (
  signal: Phrases['signal'],
  ending: Phrases['ending'],
  phrases: readonly string[],
  more: Pick<Phrases, 'when' | 'reversible'> = {},
): Phrases => ({ signal, provenance: 'model', ending, phrases, ...more });

const ADDRESS = [
  // Direct responses.
  '(in answer|as an answer|as a response|as a direct response|in direct response|in reply|in reaction) to (this|that|these|this problem|this issue|this challenge|these challenges|these issues|these problems|this need|this gap|these limitations|these concerns)',
  '(responding|reacting|in responding) to (this|these|this need|this challenge|this gap|this demand|these challenges|these needs|these concerns|these limitations)',
  'to (respond|react) to (this|these) (challenge|need|demand|problem|issue|challenges|needs|demands|problems|issues)',
  'as (a|an|one|our) (possible|potential|simple|natural|effective|practical|promising|partial|first|principled|viable|alternative) (remedy|solution|response|answer|fix|workaround|countermeasure|approach)',
  'as (a|one) (way|means) (to|of) (address|solve|resolve|overcome|mitigate|addressing|solving|resolving|overcoming|mitigating) (this|these|it)',
  // Overcoming.
  'to (get|move|go|push|look) (around|beyond|past) (this|these) (problem|issue|limitation|limitations|obstacle|barrier|barriers|constraint|constraints|bottleneck|restriction)',
  'to (break|lift|remove|relax|loosen|drop|eliminate|waive) (this|these|the above|that|such) (barrier|barriers|limit|limits|limitation|limitations|restriction|restrictions|constraint|constraints|assumption|assumptions|requirement|dependency|dependence)',
  'to (ease|lighten|lessen|lower|relieve|reduce|lift) (this|the|that|such) (burden|cost|costs|load|workload|overhead|effort|dependence|dependency|reliance|requirement|complexity)',
  'to (break|escape|exit) (this|the) (vicious |)(circle|cycle|loop|deadlock|impasse|stalemate)',
  'to (reconcile|balance|resolve|navigate|strike|settle) (this|these|the) (conflict|conflicts|trade-off|tradeoff|trade-offs|tension|tensions|competing demands|contradiction|two|disagreement|debate)',
  'to (prevent|avoid|preclude|avert|forestall) (this|that|such|these) (from happening|situation|situations|behavior|behaviour|outcome|outcomes|failure|failures|collapse|effect|effects|pitfall|pitfalls|scenario|degradation|error|errors|leakage|overfitting|drift|problem|problems)',
  'to (guard|protect|defend|safeguard|hedge) against (this|these|such) (attack|attacks|threat|threats|risk|risks|failure|failures|vulnerability|vulnerabilities|scenario|scenarios)',
  'to (counter|combat|fight|thwart|neutralize|neutralise|offset|suppress|dampen|curb) (this|these|such) (threat|threats|attack|attacks|effect|effects|trend|tendency|bias|biases|phenomenon|noise|drift|interference|behavior|influence)',
  'to (compensate|correct|account|make up|adjust|control) for (this|these|such|it|them) (effect|effects|bias|biases|error|errors|loss|deficiency|mismatch|discrepancy|lack|factor|factors|shift|variation|shortage|drift|uncertainty)',
  'to (deal|cope|contend|grapple|wrestle|live) with (this|these|such|it|them)',
  'to (rise|live up) to (this|these) (challenge|challenges|demand|demands|task)',
  'to (take on|take up|meet|face|confront|conquer|attack|crack) (this|these|such) (challenge|challenges|problem|problems|demands|needs)',
  'to (put|set) (this|things|these) right',
  'to (do away|dispense) with (this|these|such) (requirement|assumption|limitation|restriction|need|dependency|constraint|constraints|assumptions|requirements)',
  'to (help|better|effectively|efficiently|jointly|partially|fully|directly|explicitly|systematically|specifically|successfully) (address|tackle|overcome|solve|resolve|mitigate|alleviate|handle|bridge|fill|close|combat) (this|these|it|them)',
  // Gaps, needs and questions.
  'to (fill|bridge|close|narrow|plug|shrink|reduce|span) (this|that|these|such|such a) (void|divide|hole|holes|disconnect|chasm|lacuna|gulf|gap|gaps|distance|disparity|mismatch|discrepancy|deficit|knowledge gap|research gap|literature gap|evaluation gap|data gap|modality gap|semantic gap|domain gap|performance gap|reality gap|resource gap)',
  '(filling|bridging|closing|narrowing|targeting|addressing) (this|that|these|such) (void|divide|gap|gaps|research gap|knowledge gap|critical gap|need|needs|niche|shortcoming|shortcomings|disconnect)',
  'to (meet|satisfy|fulfill|fulfil|serve|accommodate|cater to|support) (this|these|such|that|the above) (need|needs|demand|demands|requirement|requirements|criteria|desiderata|desideratum|condition|conditions)',
  'to (answer|settle|resolve|investigate|study|explore|shed light on|examine|clarify|elucidate|illuminate|probe|look into) (this|these|that|such) (question|questions|issue|issues|mystery|puzzle|matter|debate|uncertainty)',
  'to (shed|throw|cast) (some |more |new |)light on (this|these|that) (question|questions|issue|issues|problem|problems|matter|phenomenon)',
  'to (better |)(understand|explain|investigate|study|analyze) (this|these) (gap|problem|issue|limitation|limitations|failure|failures|challenge|challenges|discrepancy|shortcomings)',
  // Situations that call for something.
  '(given|considering|recognizing|recognising|acknowledging|realizing|observing|noticing|noting) (this|these|such|the above) (gap|gaps|limitation|limitations|challenge|challenges|shortcoming|shortcomings|issue|issues|problem|problems|drawback|drawbacks|need|constraint|constraints|difficulty|difficulties|deficiency|deficiencies)',
  '(motivated|driven|prompted|spurred|compelled|urged|stimulated|encouraged) by (this|these|such|the above|the aforementioned) (gap|gaps|limitation|limitations|challenge|challenges|shortcoming|shortcomings|issue|issues|problem|problems|drawback|drawbacks|need|needs|question|questions|difficulty|difficulties|concern|concerns)',
  'in (light|view|face|recognition|consideration) of (this|these|such|the above) (gap|gaps|limitation|limitations|challenge|challenges|shortcoming|shortcomings|issue|issues|problem|problems|drawback|drawbacks|need|constraint|constraints|difficulty|difficulties|concern|concerns)',
  'in the face of (this|these|such) (challenge|challenges|difficulty|difficulties|problem|problems|limitation|limitations)',
  'with (this|these|such) (limitation|limitations|challenge|challenges|gap|problem|problems|issue|issues|need) in mind',
  '(confronting|facing|tackling|targeting|overcoming|resolving) (this|these|such|the above) (challenge|challenges|problem|problems|issue|issues|limitation|limitations|gap|gaps|difficulty|difficulties|dilemma|drawback|drawbacks|bottleneck|shortcoming|shortcomings|weakness|weaknesses)',
  'in order to (avoid|prevent|circumvent|bypass|sidestep|mitigate|alleviate|remedy|counter|combat|cope with|deal with|handle|reduce|eliminate|compensate for|account for) (this|these|it|them|that)',
  'in an (attempt|effort) to (address|tackle|overcome|solve|resolve|mitigate|alleviate|remedy|bridge|fill|close|fix|change) (this|these|it|this gap|these gaps|this problem|this issue|these issues|these problems|this challenge|these challenges|this limitation|these limitations)',
  'with the (aim|goal|objective|intention|purpose|intent) of (addressing|tackling|overcoming|solving|resolving|mitigating|filling|bridging|closing) (this|these|this gap|this problem|this issue|these issues|these problems|this challenge|these challenges|this limitation|these limitations)',
  '(aiming|seeking|striving|attempting|trying) to (address|tackle|overcome|solve|resolve|mitigate|fill|bridge|close) (this|these|this gap|this problem|this issue|these issues|these problems|this challenge|these challenges|this limitation|these limitations)',
  'as a (first |)step (toward|towards) (addressing|tackling|solving|overcoming|filling|bridging|closing) (this|these|this gap|this problem|this issue|these issues|this challenge|these challenges|this limitation|these limitations)',
  'to (remedy|rectify|correct|change|fix|improve|redress|reverse|alter|ameliorate) (this|that|the) (situation|state of affairs|matter|trend|deficiency|oversight|imbalance|omission|shortcoming|problem)',
  '(to this problem|to this issue|to this challenge|to these problems|to these challenges|against this problem|against these challenges)',
  '(for|against) (this|these) (challenge|challenges|difficulty|difficulties|drawback|drawbacks|limitation|limitations|shortcoming|shortcomings|issue|issues)',
  'to (that|this) end and to (address|overcome|tackle|mitigate) (this|these) (issue|issues|challenge|challenges|limitations)',
  'to (make|render) (this|it|these) (tractable|feasible|practical|scalable|efficient|possible|manageable|affordable)',
  'to (simultaneously|jointly) (address|solve|tackle|overcome|handle|resolve) (both|both problems|both issues|both challenges|both limitations|these problems|these issues|these challenges|these limitations|these two problems|these two issues|these two challenges|the two problems|these two limitations)',
  'to (address|solve|tackle|overcome|mitigate|alleviate|resolve|handle) (both|both problems|both issues|both challenges|both limitations|these two problems|these two issues|these two challenges|these three challenges|these three issues|these twin challenges|these dual challenges|the former|the latter|the latter issue|the latter problem|the former issue|the above|the above mentioned problems|the above mentioned issues|the above-mentioned problem|the above-mentioned problems|the above-mentioned issue|the above-mentioned issues|the above-mentioned challenges|the above-mentioned limitations|the above problem|the above problems|the above issue|the above issues|the above challenge|the above challenges|the above limitation|the above limitations|the above drawbacks|the above shortcomings|the aforementioned|the aforementioned problem|the aforementioned problems|the aforementioned issue|the aforementioned issues|the aforementioned challenge|the aforementioned challenges|the aforementioned limitation|the aforementioned limitations|the aforementioned drawbacks|the aforementioned shortcomings|the aforementioned gaps|the aforementioned gap)',
];

const ADDRESS_OPEN = [
  'this (motivates|inspires|prompts|encourages|leads|compels|drives) us to',
  'this (calls for|motivates|necessitates)',
  'one (way|approach|solution) to (address|tackle|overcome|solve|avoid) (this|these|this problem|this issue|this limitation|these issues) is',
  '(one|a) (possible |potential |natural |common |simple |promising |popular |) (way|solution|remedy|approach) (to|for) (this|that|these|this problem|this issue|these problems|these issues|this challenge) is',
  'this (problem|issue|challenge|limitation|difficulty|gap|drawback|shortcoming|bottleneck) (is|was|can be) (addressed|tackled|overcome|solved|resolved|mitigated|alleviated|remedied|circumvented|avoided|bypassed) (by|with|through|via|using)',
  'these (problems|issues|challenges|limitations|difficulties|gaps|drawbacks|shortcomings) (are|were|can be) (addressed|tackled|overcome|solved|resolved|mitigated|alleviated|remedied|circumvented|avoided) (by|with|through|via|using)',
];

const BROADEN = [
  '(zooming|stepping|looking) (out|back)',
  '(zooming|stepping) (out|back) from (this|these|this case|this example|these results|these details|these specifics|the details)',
  'taking a (broader|wider|step back|more general) (view|perspective|look)',
  '(viewed|seen|considered|understood|taken|framed|interpreted) (more broadly|more generally|in a broader context|in a broader light|in broader terms|from a broader perspective|at a higher level|in general terms)',
  'in (more general|broader|more abstract|wider) terms',
  'in a (broader|wider|more general) (sense|context|light|view|frame|framework|scope|setting|picture)',
  'on a (broader|more general|wider|larger|higher|more fundamental|more abstract) (level|scale|note|plane|front)',
  'at a (broader|more general|higher|more fundamental|more abstract|conceptual|larger) (level|scale)',
  'at (the|a) (broadest|highest|most general) level',
  'from a (general|broader|wider|more abstract|high-level|higher-level|higher|systems-level|macro) (perspective|standpoint|viewpoint|point of view|view|vantage point)',
  'in (the|a) (bigger|larger|broader|wider) (picture|scheme of things|context|sense)',
  '(more|even more|still more|yet more) (generally|broadly|abstractly|universally|fundamentally|widely) (speaking|still|stated|put|viewed|)',
  '(stated|put|phrased|expressed|formulated|described) (more|even more) (generally|broadly|abstractly)',
  'to (generalize|generalise|abstract|broaden|widen|extend) (this|these|from this|from these|this idea|this notion|this concept|this insight|this observation|this finding|this principle|this view|beyond this|beyond this case|beyond this example|these ideas|these insights)',
  '(generalizing|generalising|abstracting|extrapolating|broadening|widening) (this|these|from this|from these|this idea|this notion|this concept|this insight|this observation|this principle|this point|further|away from this|beyond this|beyond these|beyond this case|beyond this example|from this example|from this case|from these examples|from these results|from these findings|from these observations)',
  '(beyond|going beyond|looking beyond) (this|these|the) (specific|particular|individual|single) (case|cases|task|tasks|application|applications|example|examples|setting|settings|instance|instances|domain|domains|problem|problems|use case|use cases|dataset|datasets|model|models|finding|findings|result|results|scenario|scenarios|context)',
  '(beyond|going beyond|looking beyond) (this|these) (application|applications|case|cases|example|examples|instance|instances|setting|settings|task|tasks|finding|findings|result|results)',
  'as a general (rule|principle|matter|observation|trend)',
  'as a (broader|more general|wider) (implication|lesson|consequence|conclusion|point|principle|insight)',
  'in the general case',
  'in full generality',
  'in (greater|more|its full) generality',
  'as a (generalization|generalisation|broader framework|unifying principle)',
];

const BROADEN_OPEN = [
  'the same (principle|idea|argument|reasoning|logic|observation|phenomenon|technique|pattern) (applies|holds|extends|carries over|generalizes) (to|for)',
  'the (broader|more general|wider|larger|general|overarching) (lesson|implication|point|message|insight|principle|conclusion|takeaway) (is|here is) that',
  'this is (a|an|one|just one|only one) (special case|specific case|particular case|instance|special instance|example|specific example|manifestation|illustration|symptom|special form) of',
  'these are (special cases|specific cases|particular cases|instances|examples|manifestations|symptoms) of',
  'what (this|these) (suggests|suggest|shows|show|illustrates|illustrate|reveals|reveal) (more generally|more broadly|in general) is that',
  '(our|the|these) (results|findings|observations|analyses|experiments) (suggest|indicate|imply|show|demonstrate) (more generally|more broadly) that',
  '(more generally|more broadly|in general) (this|these results|these findings|our results|our findings) (suggests|suggest|indicates|indicate|shows|show|demonstrates|demonstrate|implies|imply) that',
  '(this|our) (result|approach|method|framework|idea|analysis|technique|observation) (generalizes|extends) (naturally |readily |easily |also |)(to|beyond)',
  '(our|these) (results|methods|techniques|ideas|findings|observations) (generalize|extend) (naturally |readily |easily |also |)(to|beyond)',
  'we (also |further |then |)(generalize|generalise|extend) (this|these|our) (result|results|approach|method|idea|framework|analysis|finding|findings|technique|theorem|bound|algorithm) to',
];

const SPECIFY = [
  '(more|much more|even more|most|a bit more|slightly more) (specifically|concretely|precisely|explicitly|formally|technically)',
  '(in|with) (more|greater|further) (detail|specificity|depth)',
  'in (concrete|specific|precise|more concrete|more specific|practical|technical|simple|plain|mathematical) terms',
  '(stated|put|phrased|expressed|described|formulated) (more|most) (specifically|concretely|precisely|explicitly)',
  'to be (a bit |a little |slightly |)(more |)(specific|precise|concrete|exact|explicit)',
  '(zooming|drilling|narrowing) (in|down)',
  '(zooming|drilling) (in|down) (on|into) (this|these|specifics|the details)',
  'as (a|an|one) (concrete|specific|simple|typical|prominent|notable|representative|illustrative|motivating|running|extreme|special|important|practical|real-world|particular|further|working|toy|explicit|salient) (example|instance|case|illustration|instantiation|application|demonstration|use case|special case)',
  'as (a|an|one|our|the first) (instantiation|application|use case|case study|demonstration|proof of concept|proof-of-concept|special case|case in point|first instantiation|example application|test case|testbed)',
  '(take|consider|recall|imagine|suppose) (for example|for instance|as an example|as an instance|the following example)',
  '(for|as) an (instance|example|illustration)',
  'by way of (example|illustration|instance)',
  'to (take|give|name|cite|provide|offer) (one|an|a|a few|just one|some|but one|another) (example|concrete example|specific example|simple example|illustrative example|instance|examples|illustration)',
  'to (exemplify|illustrate|instantiate|demonstrate|make concrete|concretize|ground|show) (this|these|this idea|this point|this principle|this concept|this phenomenon|this claim|these ideas|these points|these concepts|the idea|the point)',
  '(illustrating|exemplifying|instantiating|demonstrating) (this|this point|this idea|these ideas|this principle)',
  'instantiating (this|these|this idea|this framework|this principle|these principles|this insight|this view)',
  '(notable|prominent|typical|common|concrete|representative|key|specific|well-known|some) (examples|instances|cases)',
  'at its (core|heart|simplest)',
  'in (its|their) simplest (form|case|instance)',
  'in the (simplest|special|particular|specific|extreme|following|present) case',
  'in one (instance|case|example|setting|application|experiment)',
  'in (this|that|such a) (particular|specific|special) (case|instance|setting|example)',
  'as (is |)the case (in|for)',
  'as a particular (case|example|instance)',
  'a case in point',
  'case in point',
  'technically',
  'mechanistically',
  'operationally',
  'algorithmically',
  'architecturally',
  'methodologically',
  'structurally',
  'in its essence',
  'at a (finer|more detailed|more granular|more specific|lower|low|fine-grained) (level|scale|granularity)',
  'on a (finer|more detailed|more granular|more specific|lower) (level|scale|note)',
  '(especially|notably)',
  'viz.',
];

const SPECIFY_OPEN = [
  '(examples|instances|notable examples|prominent examples|typical examples|common examples|well-known examples|concrete examples|specific examples|some examples|key examples|representative examples) (include|are|of this include|of these include)',
  '(an|one|a) (example|instance|illustration|concrete example|specific example|typical example|notable example|prominent example|important example|classic example|good example|prime example|simple example|striking example|particular example|canonical example) (is|of this is|here is|would be|includes)( that| when| where|)',
  '(these|this|they|which) (include|includes|comprise|comprises|range from|ranges from|encompass|encompasses)',
  'among (these|them|others) (is|are)',
  '(this|it|our method|our approach|this method|this approach|our model|our framework|the method|the approach|the framework|the model|the algorithm) (works|operates|functions|proceeds) (by|via|through)',
  '(this|it|our method|our approach|this method|this approach|our model|our framework|the framework|the method|the approach) (does so|does this|achieves this|accomplishes this|realizes this|realises this|enables this|implements this) (by|through|via|with|using)',
  'this is (done|made possible|enabled|achieved|accomplished|realized|realised|implemented|performed|carried out|obtained) (by|through|via|with|using|thanks to)',
  'we (instantiate|realize|realise|implement|exemplify|operationalize|operationalise|concretize|illustrate|demonstrate|ground) this (idea|principle|framework|concept|insight|notion|approach|strategy|view|goal|with|by|in|through|as|using)',
  'the (key|core|main|central|basic|underlying) (idea|insight|intuition|principle) (is|behind this is|here is|of our approach is|of our method is) (to|that)',
];

/** Every proposed phrase. */
export const PROPOSED: readonly Phrases[] = [
  proposed('address', 'loose', ADDRESS),
  proposed('address', 'open', ADDRESS_OPEN),
  proposed('broaden', 'loose', BROADEN),
  proposed('broaden', 'open', BROADEN_OPEN),
  proposed('specify', 'loose', SPECIFY, { reversible: true }),
  proposed('specify', 'open', SPECIFY_OPEN),
];
