/**
 * Openings that make none of the moves: contrast, similarity (told or implied), and what is common
 * but relates to nothing, or not to the sentence before. Their sentences look like golds and are
 * none; their openings are stripped like those of golds, so that an opening tells nothing.
 */
import type { Distractor, Ending, Phrases } from './types';

const group = (signal: Distractor, ending: Ending, phrases: readonly string[]): Phrases => ({
  signal,
  provenance: 'manual',
  ending,
  phrases,
});

const EXPLICIT_CONTRAST = [
  'however',
  '(in|by|as a) (stark |sharp |marked |direct |)contrast',
  'on the (other hand|contrary|other|other side|flip side|negative side|downside)',
  'conversely',
  '(nevertheless|nonetheless|yet|still|but|even so|then again|that said|having said that|be that as it may|notwithstanding|all the same|even then)',
  '(despite|in spite of|notwithstanding) (this|these|that|its|their|such|all this|the above|these advances|this progress|these efforts|these advantages|its success|their success|its importance|its simplicity|their effectiveness|their potential|its potential|recent progress|recent advances|these advancements|this success|these successes|these challenges|these limitations|these results|these benefits|its popularity|their popularity|this potential|these improvements|its advantages|significant progress|its significance|their importance|its effectiveness|their promise|the success)',
  '(unlike|in contrast to|contrary to|as opposed to|different from|compared to|compared with|in comparison to|in comparison with) (previous|prior|existing|other|traditional|conventional|these|this|most|such|earlier|past|current|standard|most existing|most previous|most prior|many existing|the previous|the existing|those) (work|works|methods|approaches|studies|techniques|models|systems|algorithms|benchmarks|datasets|research|solutions|frameworks|literature|art|efforts|ones)',
  '(instead|rather|alternatively|otherwise|unlike this|unlike these|unlike that)',
  'rather than (this|that|doing so)',
  '(unfortunately|regrettably|sadly|surprisingly|counterintuitively|counter-intuitively|paradoxically|contrary to expectations|to our surprise|perhaps surprisingly|somewhat surprisingly|strikingly|ironically|unexpectedly|more surprisingly)',
  '(while|although|though) (effective|promising|powerful|useful|efficient|popular|successful|simple|important|intuitive)',
  '(in reality|in practice|in fact|actually|as a matter of fact|on closer inspection)',
  'at the same time',
  '(meanwhile|in the meantime|whereas|in turn)',
  '(on the one hand|by comparison|in comparison|for another)',
  '(by doing so|in doing so|in so doing|doing so|doing this|by doing this)',
];

const IMPLICIT_SIMILARITY = [
  'in (other words|essence|effect|short|brief|sum|summary|a nutshell|a word|a sense|this sense|this light|this view|this respect|this regard|that regard|that sense|plain words|total)',
  '(put|said|stated|phrased|viewed|seen) (differently|another way|simply|in another way|in this way|this way)',
  '(to put it|to say it|to put this) (differently|another way|simply|in other words|bluntly|succinctly)',
  '(that is|i.e.|that is to say|which is to say|this is to say|essentially|effectively|basically|in principle|intuitively|conceptually|informally|roughly speaking|loosely speaking|in theory|put simply|simply put|formally|mathematically|equivalently|theoretically)',
  'from (this|that|another) (perspective|point of view|viewpoint|standpoint|angle|view)',
  '(under|with|within|in) this (view|interpretation|lens|light|perspective|framing|formulation|framework|setting|context|setup|paradigm|regime)',
  '(indeed|of course|as expected|unsurprisingly|not surprisingly|obviously|clearly|naturally|evidently|undoubtedly|needless to say|as mentioned|as noted|as discussed|as mentioned above|as noted above|as stated above)',
  'to (summarize|summarise|sum up|conclude|recap|restate|reiterate|rephrase|paraphrase)',
  'in (conclusion|closing|this way|this manner|that way|such a way|this fashion)',
  'this way',
];

const EXPLICIT_SIMILARITY = [
  '(similarly|likewise|analogously|equally|correspondingly|in parallel|concurrently|simultaneously|symmetrically|comparably|by analogy|relatedly|along the same lines|along these lines|along this line|in the same vein|in this vein|in a similar vein|in the same way|in a similar way|in a similar manner|in a similar fashion|in the same manner|in the same fashion|in the same spirit|in a similar spirit|by the same token|as before|as above|as in the previous case|at the same rate|in like manner)',
  '(similar|analogous|akin|equivalent) to (this|these|that|previous work|prior work|the above|the previous case|the former|before)',
  '(like|as with|just like|much like) (this|these|that|those|before|previous work|prior work|the former|humans)',
  '(again|once again|also|too|as well|in both cases|in both settings|in all cases|in each case|in either case|in the same time)',
  '(furthermore|moreover|additionally|besides|further|in addition|in addition to this|in addition to that|besides this|besides that|what is more|on top of that|on top of this|further more|further-more|plus|as a bonus|along with this|together with this|complementing this|beyond that|beyond this|apart from this|apart from that|aside from this|added to this|not only that)',
];

const COMMON_IRRELEVANT = [
  // Where the reader is, and who speaks.
  '(in|with|within|throughout|through) (this|our|the present|the current|that) (paper|work|study|article|survey|report|thesis|research|review|tutorial|section|chapter|contribution|letter|note|manuscript|demo|demonstration|video|technical report|survey paper|research paper|position paper|project|investigation|dissertation|extended abstract)',
  '(in the paper|herein|here|hereby|in what follows|in the following|in the sequel|in this technical report|in our previous work|in our previous works|in previous work|in previous works|in prior work|in recent work|in our approach|in our method|in our framework|in our model|in our system|in our work|in our study|in our setting)',
  '(in our|in the|in|in these|through|through our|in extensive|through extensive|in a series of|with extensive|through comprehensive|in numerical|in simulation|through a series of) (experiments|experiment|evaluation|evaluations|experimentation|simulations|analysis|analyses|simulation|numerical experiments)',
  "(to the best of our knowledge|to our knowledge|to our best knowledge|as far as we know|as far as we are aware|to the authors' knowledge|to the best of the authors' knowledge)",
  // Inference that may go further back than the sentence before.
  '(therefore|thus|hence|so|consequently|accordingly|as such|as a result|as a consequence|in consequence|as the result|in result|for this reason|for that reason|for these reasons|because of this|due to this|consequentially|thereby|hereby|it follows that|ergo|in turn|ultimately|eventually)',
  '(based|building|drawing|relying|grounded|expanding|capitalizing) (on|upon) (this|these|that|it|such|the above|our) (observation|observations|insight|insights|finding|findings|idea|analysis|result|results|dataset|framework|model|foundation|principle|benchmark|representation|formulation|concept|intuition|assumption|property|fact|approach|method|perspective|strategy|data|resource|)',
  '(inspired|motivated|guided|informed|encouraged|driven|enlightened|supported) by (this|these|that) (observation|observations|insight|insights|finding|findings|idea|analysis|result|results|success|successes|phenomenon|fact|intuition|principle|considerations|perspective|theory|)',
  '(using|leveraging|with|through|applying|exploiting|via|employing|utilizing|following|from|given|under) (this|these|that|those|it|such) (approach|method|framework|dataset|model|representation|technique|system|data|insight|insights|observation|pipeline|benchmark|design|formulation|result|results|concept|tool|datasets|methodology|analysis|property|idea|process|strategy|assumption|assumptions|condition|conditions|)',
  // Order and time.
  '(second|secondly|third|thirdly|fourth|fourthly|fifth|fifthly|sixth|next|then|finally|lastly|last|at last|last but not least|subsequently|afterwards|afterward|after that|after this|thereafter|later|following this|following that|and then|and finally|in the end|at the end|first and foremost|in a second step|in a first step|in the next step|in the final step|in a final step|in the last step|from there|since then)',
  '(in|at|during) the (second|third|fourth|last|final|next|training|testing|inference|evaluation) (stage|step|phase|part|one|case|experiment|level|approach|method|module)',
  '(at|during) (test|inference|training|run|execution) time',
  'during (training|inference|testing|decoding|learning|evaluation|execution|this process|deployment|optimization|fine-tuning)',
  '(recently|lately|currently|nowadays|today|at present|presently|traditionally|previously|historically|conventionally|to date|so far|until now|up to now|thus far|until recently|more recently|most recently|in recent years|in the past|over the years|in the last decade|over the past decade|in the past decade|over the last decade|in the last few years|in the past few years|in the literature|in literature|now|these days|increasingly|over time|in the future|looking ahead|going forward|moving forward|for the first time|once trained|after training)',
  // Comment and emphasis.
  '(notably|importantly|interestingly|remarkably|crucially|critically|significantly|intriguingly|encouragingly|impressively|fortunately|luckily|admittedly|arguably|presumably|apparently|curiously|significantly|most importantly|more importantly|more interestingly|most notably|most interestingly|more remarkably|more critically|most critically|even more importantly|more significantly|worse still|even worse|better still|even better|worse|best of all|above all)',
  '(empirically|experimentally|practically|quantitatively|qualitatively|computationally|numerically|analytically|statistically|geometrically|methodologically|theoretically|on the theoretical side|on the practical side|on the empirical side|on the technical side|on the experimental side|in simulations|in our experiment|in the experiment)',
  '(in general|generally|overall|all in all|altogether|taken together|together|collectively|combined|in summary|in total|on average|on the whole|by and large|as a whole|for the most part|mostly|mainly|primarily|largely|typically|usually|often|oftentimes|normally|commonly|frequently|sometimes|occasionally|generally speaking|in most cases|in many cases|in some cases|in such cases|in these cases|in this case|in that case|in such settings|in such scenarios|in such a case|in many applications|in real-world applications|in real-world scenarios|in practical applications|in this situation|in these situations|in this scenario|in these settings|in this setting|in these scenarios|in this problem|in this task)',
  '(to|for) (do|evaluate|validate|verify|test|demonstrate|assess|support|facilitate|enable|illustrate|study|explore|investigate|benchmark|examine|quantify|measure|train|confirm|prove|show) (this|that|these|our approach|our method|our model|the model|the proposed method|the proposed approach|its effectiveness|the effectiveness of our approach|the effectiveness of our method|the effectiveness of the proposed method|this task|this research|this problem|this hypothesis|this question|our framework|this claim|this idea)',
  'to (support|facilitate|foster|encourage|promote|enable|advance|stimulate|spur) (future|further|this|reproducible|reproducibility|research in this area|future research|further research|future work|open research|this research)',
  'for (evaluation|training|comparison|inference|validation|simplicity|efficiency|reproducibility|classification|benchmarking|experiments|this task|this problem|this study|this dataset|this setting|this case|this work|example applications)',
  '(as a by-product|as a byproduct|as a corollary|as an alternative|as a baseline|as a proof of concept|along the way|by design|by construction|in the process|in this process|without bells and whistles|among others|among other things|under mild conditions|under mild assumptions|thanks to this|with this|through this|from this|in this|by this means|to begin|to start with|to conclude|fundamentally|in this space|in this field|in this domain|in this area|in this direction|in this work)',
];

export const DISTRACTOR_PHRASES: readonly Phrases[] = [
  group('explicit-contrast', 'comma', EXPLICIT_CONTRAST),
  group('implicit-similarity', 'comma', IMPLICIT_SIMILARITY),
  group('explicit-similarity', 'comma', EXPLICIT_SIMILARITY),
  group('common-irrelevant', 'comma', COMMON_IRRELEVANT),
  group('common-irrelevant', 'loose', [
    '(in|with|within) (this|our|the present) (paper|work|study|article|survey|report|thesis|research|review|contribution)',
    'here',
  ]),
];
