"""Tell requests that are refused from study questions about the same subject.

Each rule looks for a *request* (for content, for a side, for a ruling, for a way to do harm),
not for a word: "What is suicide?", "How were women treated under Taliban rule?" and "How do
taxes shape elections?" pass.
"""

# ruff: noqa: E501 - one alternative of a pattern a line, however long, reads best

import re

from state.study import Topic

_FICTION = re.compile(
    r"\b(?:game|gta|minecraft|fortnite|roblox|witcher|sims|skyrim|chess|movie|film|novel|book|"
    r"story|play|character|episode|season|series|tv show|myth|poem|video ?games?|call of duty|zelda|"
    r"hitman|assassin's creed|counter[- ]strike|red dead|dungeons|npc|xbox|playstation|boss fight|"
    r"match|boxing|judo|jiu[- ]?jitsu|wrestling|mma|krav maga|karate|martial arts?|sparring|fencing|"
    r"paintball|laser tag|snowball|nerf|pillow fight|water gun|debate|rap battle|"
    r"photo\w*|portraits?|camera)\b|لعبة|رواية|فيلم|مسرحية|مباراة|تصوير"
)
_SCHOLARLY = re.compile(
    r"\b(?:history|historical|histories|effects?|impacts?|influence|laws?|legal|illegal to|study|"
    r"studies|research|essay|article|statistics|psychology|sociology|theory|art|sculptures?|"
    r"paintings?|renaissance|education|according to|prevent\w*|protect\w*|treat\w*|symptoms?|"
    r"causes?|detect\w*|biology|reproduction|definition|meaning|explain|century|ancient|philosoph\w*|theolog\w*|arguments? (?:for|against))\b"
    r"|تاريخ|اثر|تاثير|قانون|دراسة|بحث|تعريف|وقاية|حماية|شرح|معني|معنى"
)

_MINOR = r"(?:child(?:ren)?|kids?|minors?|underage\w*|toddlers?|(?:little|young|teen(?:age)?) (?:girls?|boys?))"
_SEX = r"(?:sex|sexual\w*|porn\w*|nudes?|naked|genital\w*|masturbat\w*|erotic\w*)"
_SHOWN = r"(?:videos?|images?|pictures?|pics|photos?|films?|movies?|stor(?:y|ies)|sites?|websites?|material|clips?|content)"
_ASKING = (
    r"(?:show|send|find|give|write|watch|see|download|generate|draw|create|make|tell|recommend|"
    r"want|need|where can i|best|free|roleplay|talk)"
)
_ADULT = re.compile(
    rf"\b{_ASKING}\b.{{0,60}}\b(?:porn\w*|nudes?|hentai|xxx|sexting|erotica|camgirls?"
    rf"|(?:erotic|sex|sexual|sexy|naked|nude|nsfw) (?:\w+ )?{_SHOWN}|adult (?:videos?|films?|movies?|sites?|content)"
    rf"|(?:naked|nude|sexy) (?:girls?|wom[ae]n|m[ae]n|boys?|celebrit\w+))\b"
    r"|^(?:porn\w*|nudes?|hentai|xxx|nsfw|send nudes)$"
    r"|\b(?:talk dirty|have sex with (?:me|you)|sex chat|sexting|cyber ?sex|are you horny|suck my)\b"
    r"|(?:ارسل|ارني|اعطني|اريد|ابحث|اين اجد|شاهد|اكتب|نزل).{0,40}"
    r"(?:افلام? (?:اباحية|جنسية|سكس)|مقاطع? (?:اباحية|جنسية|سكس)|صورا? (?:عارية|اباحية|جنسية)|سكس|اباحي\w*)"
    r"|^(?:سكس|اباحي\w*|بورن\w*)$"
)
_CHILD_SEX = re.compile(
    rf"\b(?:have|having|had) sex with (?:an? |the |my |young |underage |little )*{_MINOR}\b"
    rf"|\b{_MINOR}\b.{{0,25}}\b(?:having sex|naked|nude|porn\w*|for sex|sex (?:with|{_SHOWN}|material))"
    rf"|\b(?:{_SHOWN})\b.{{0,25}}\b{_MINOR}.{{0,20}}\b{_SEX}\b"
    rf"|\b(?:romantic love|love affair|romance|romantic relationship) between an? (?:old\w*|adult) .{{0,20}}{_MINOR}"
    rf"|\bsatisfy my p(?:a)?edophil\w*|\b(?:masturbat\w*|my genital\w*)\b.{{0,40}}|\bi.{{0,30}}{_MINOR}.{{0,20}}my (?:genital\w*|penis)"
)

_POLITICIAN = (
    r"(?:trump|biden|obama|harris|clinton|putin|zelensky|netanyahu|modi|erdogan|macron|starmer|sunak|"
    r"xi jinping|kim jong[- ]un|maduro|milei|sisi|assad|the (?:current )?(?:president|prime minister|"
    r"government|king|queen))"
)
_PARTY = (
    r"(?:republicans?|democrats?|liberals?|conservatives?|labour|tor(?:y|ies)|communists?|socialists?|"
    r"the (?:left|right)(?:[- ]wing)?|leftists?|right[- ]wingers?|zionists?|hamas|hezbollah|israel|palestine)"
)
_ISSUE = r"(?:abortion|gun control|brexit|immigration|the death penalty|capital punishment|gay marriage|the election)"
_WORTH = (
    r"(?:good|bad|better|best|worst|worse|evil|corrupt|stupid|idiots?|right|wrong|a (?:criminal|hero|traitor|liar"
    r"|dictator|good|bad|great|terrible)|racist|fascists?|terrorists?|trustworthy|to blame)"
)
_POLITICS = re.compile(
    r"\b(?:who|whom|which (?:party|candidate)) (?:should|would|do|did|will) (?:i|you|we) (?:\w+ )?vote\b"
    r"|\bshould (?:i|we|people) vote (?:for|against)\b|\bvote for \w+ or \w+\b.{0,12}\?"
    rf"|\b(?:is|are) (?:{_POLITICIAN}|{_PARTY}) (?:really |so |just |actually )?{_WORTH}\b"
    rf"|\bwhy (?:is|are) (?:{_POLITICIAN}|{_PARTY}) (?:so )?{_WORTH}\b"
    r"|\b(?:which|what) (?:political |us |uk )?(?:party|politician|president|candidate|side) (?:is|was) (?:the )?"
    r"(?:best|better|worst|right|worse)\b"
    rf"|\b(?:what do you think|your (?:political )?(?:opinions?|views?|stance|thoughts)|do you (?:support|like|hate|"
    rf"agree with|trust)|are you (?:for|against|pro))\b.{{0,30}}\b(?:{_POLITICIAN}|{_PARTY}|{_ISSUE}|politics)\b"
    rf"|\bare you (?:an? )?(?:republican|democrat|liberal|conservative|leftist|socialist|communist|feminist|zionist)\b"
    rf"|\b(?:convince|persuade) (?:me|people|voters) to (?:vote|support)\b"
    rf"|\bwrite (?:me )?(?:an? )?(?:\w+ )?(?:propaganda|campaign (?:speech|ad|slogan)|attack ad)\b"
    rf"|\b(?:support|side with|stand with) (?:israel|palestine|ukraine|russia|hamas) or (?:israel|palestine|ukraine|russia)\b"
    r"|(?:من|لمن|لاي حزب|اي مرشح) (?:يجب ان |علي ان |سوف )?(?:انتخب|اصوت|ننتخب|نصوت)"
    r"|(?:ما|ماهو|ما هو) رايك (?:في|ب|بشان|حول) ?(?:ال)?(?:رييس|حكومة|سيسي|بشار|ترامب|بايدن|بوتين|نتنياهو|انتخابات"
    r"|سياسة|حزب|ملك|اسراييل|حماس|معارضة)"
    r"|هل (?:تويد|تدعم|تحب|تكره|انت مع|انت ضد) (?:ال)?(?:رييس|حكومة|سيسي|بشار|ترامب|بايدن|بوتين|حماس|اسراييل|معارضة|ثورة)"
    r"|(?:اي|ما) (?:حزب|هو الحزب) (?:سياسي )?(?:هو )?(?:ال)?(?:افضل|احسن|صح)"
    r"|هل (?:ال)?(?:رييس|حكومة|ملك|سيسي|ترامب|بايدن|بوتين) (?:فاسد\w*|جيد\w*|سي\w?|خاين\w*|ظالم\w*)"
)

_FAITH = r"(?:islam|christianity|judaism|hinduism|buddhism|sikhism|atheism|catholicism|scientology|mormonism)"
_HOLY = (
    r"(?:god|allah|jesus|muhammad|mohammed|the (?:bible|quran|qur'an|torah)|religion|heaven|hell)"
)
_FAITHFUL = r"(?:muslims?|christians?|jews?|hindus?|buddhists?|atheists?|catholics?|shias?|sunnis?|mormons?)"
_RELIGION = re.compile(
    r"\b(?:which|what) (?:religion|faith|god|prophet|sect) (?:is|are) (?:really |actually )?(?:the )?"
    r"(?:(?:one )?true|right|best|better|correct|worst|false|superior|real)\b"
    rf"|\b(?:is|are|was) (?:{_FAITH}|{_HOLY}) (?:really |just |actually )?(?:real|true|false|fake|evil|better|"
    rf"the truth|a lie|lies|violent|bad|stupid|superior|the (?:right|true|only|best) (?:religion|path|way))\b"
    rf"|\bis (?:{_FAITH}) or (?:{_FAITH}) (?:better|true|right)\b"
    rf"|\bshould i (?:convert|become an? (?:{_FAITHFUL})|leave (?:{_FAITH}|my (?:religion|faith))|believe in "
    rf"(?:god|allah|jesus)|pray\b|wear (?:a |the )?(?:hijab|niqab|cross))"
    rf"|\b(?:convert|converting) (?:me|people|my \w+) (?:to|from|into)\b.{{0,12}}{_FAITH}"
    rf"|\b(?:are|will) (?:all )?(?:{_FAITHFUL}) (?:really |all )?(?:go(?:ing)? to (?:hell|heaven)|evil|bad|terrorists|stupid|"
    rf"wrong|inferior|infidels)\b"
    rf"|\bwhy (?:are|is) (?:all )?(?:{_FAITHFUL}|{_FAITH}) (?:so )?(?:evil|bad|stupid|wrong|violent|backward)\b"
    r"|\bwhat(?:'s| is) your (?:religion|faith)\b|\bdo you (?:believe in (?:god|allah|jesus|heaven|hell)|pray)\b"
    rf"|\bare you (?:an? )?(?:{_FAITHFUL}|religious)\b"
    r"|^(?:so |and |but )?is (?:it|this|that|\w+(?:ing)?(?: \w+){0,3}) (?:haram|halal|a sin|sinful)\b(?! (?:food|market|meat))"
    r"|\b(?:give|issue) (?:me )?an? fatwa\b|\bwill i go to (?:hell|heaven)\b"
    rf"|\bwhy should (?:all )?{_FAITHFUL} (?:not )?be\b"
    r"|هل .{0,50}(?:حرام|حلال)\b|(?:ما حكم|ما هو حكم) (?:الدين|الاسلام|الشرع|الشريعة) (?:في|من|علي|على)"
    r"|(?:اي|ما هو|ما) (?:ال)?(?:دين|ديانة|مذهب) (?:هو |هي )?(?:ال)?(?:صحيح|افضل|حق|احسن|صح)"
    r"|هل (?:الاسلام|المسيحية|اليهودية|الالحاد|الله|القران|الانجيل) (?:هو )?(?:صحيح|حق|كذب|كاذب|افضل|حقيقي|موجود|باطل)"
    r"|هل يجب (?:ان|علي ان) (?:اسلم|اعتنق|اغير ديني|اتنصر|ارتدي الحجاب|اصلي)|ما (?:هو|هي)? ?(?:دينك|ديانتك)"
    r"|هل انت (?:مسلم|مسيحي|يهودي|ملحد|شيعي|سني)|هل تومن بالله|افتني|اريد فتوي|اريد فتوى"
)

_VICTIM = (
    r"(?:someone|somebody|people|a (?:person|human|man|woman|child|baby|cop|stranger)|humans?|humanity|"
    r"(?:my|his|her|their|an?) (?:entire |whole |ex[- ]?)?(?:wife|husband|boss|family|neighbou?r|teacher|mother|"
    r"father|brother|sister|boyfriend|girlfriend|ex|friend|parents?|kids?|roommate|classmates?))"
    r"\b(?!'s|s'| (?:process\w*|thread|task|node|class|object|cells?))"
)
_KILL = (
    r"(?:kill|murder|stab|shoot|attack|poison|strangle|execute|hurt|harm|butcher|electrocute|assault|hunt down|"
    r"annihilate|eradicate|torture|kidnap|drown|wipe out|rape|drug|physically hurt)"
)
_HOW = (
    r"(?:how (?:do|can|should|could|would) (?:i|we|you|one)|how to|(?:best|easiest|good|fastest|effective|quickest|"
    r"most \w+) (?:way|ways|method|place|steps?)s?|ways? (?:to|of)|where (?:can i|is a good place|to)|"
    r"tell me (?:how|where|ways|the|to))"
)
_STRAIGHT = r"(?:help me(?: to)?|should i|i want to|i(?:'m| am) going to|i plan to)"
_HARM = re.compile(
    r"\b(?:kill(?:ing)?|hang(?:ing)?|hurt(?:ing)?|harm(?:ing)?|cut(?:ting)?|starv(?:e|ing)|drown(?:ing)?) myself\b"
    r"|\b(?:my|a) suicide note\b|\bi (?:want|need|am going) to (?:die|end (?:it all|my life))\b|\bend my (?:own )?life\b"
    rf"|\b(?:{_HOW})\b.{{0,30}}\b(?:commit(?:ting)? (?:suicide|(?:a )?murder|(?:violent )?assault|genocide)|self[- ]harm\w*|overdose|kill yourself)\b"
    r"|\bself[- ]harming\b.{0,20}$|\blet me overdose\b|\bworth (?:me )?(?:being alive|living)\b"
    rf"|\b{_HOW}\b.{{0,30}}\b{_KILL}(?:ing)? (?:all )?(?:the )?{_VICTIM}"
    rf"|\b{_STRAIGHT} {_KILL} (?:all )?(?:the )?{_VICTIM}"
    rf"|\b{_HOW}\b.{{0,15}}\bpush {_VICTIM}.{{0,20}}\b(?:off|under|in front of|down the stairs)\b"
    rf"|\b{_HOW}\b.{{0,30}}\b(?:make|build|create|print\w*|assemble)(?:ing)? (?:an? |some )?(?:\w+ ){{0,2}}"
    r"(?:pipe bomb|nail bomb|bomb(?! (?:calorimeter|shelter|cyclone))|explosives|explosive devices?|molotov|grenades?|meth|crack|"
    r"heroin|nerve gas|sarin|ricin|(?:lethal|ghost) gun|counterfeit|malware|ransomware)\b(?<!bath bomb)"
    r"|\binstructions for .{0,20}\b(?:bomb|explosives|lethal|gun)\b"
    rf"|\b{_HOW}\b.{{0,40}}\b(?:buy|get|obtain|sell|hide|send)(?:ing)? .{{0,25}}\b(?:meth|cocaine|heroin|crack|ecstasy|ephedrine|"
    r"fake id|stolen|illegal (?:guns?|weapons?|drugs?))\b"
    rf"|\b(?:eradicate|exterminate|get rid of|wipe out) (?:all )?(?:the )?(?:\w+ (?:people|men|women|folks)|jews|muslims|christians|gays|immigrants|refugees)\b"
    rf"|\b(?:{_HOW}|{_STRAIGHT})\b.{{0,30}}\b(?:scam|defraud|phish|blackmail|extort|stalk)(?:ing)? {_VICTIM}"
    r"|\bhire a hit ?man\b|\b(?:steal|find|get|hack)(?:ing)?\b.{0,30}\b(?:someone|my (?:ex|wife|husband|boyfriend|girlfriend|"
    r"boss|neighbou?r)).{0,25}\b(?:password|login|account)\b"
    r"|(?:كيف|طريقة|اسهل طريقة|اريد ان|اريد).{0,20}(?:انتحر|الانتحار|اقتل نفسي|قتل نفسي|اوذي نفسي|انهي حياتي)"
    r"|(?:كيف|طريقة|اريد ان).{0,20}(?:اقتل|قتل|اطعن|اسمم|اخطف) (?:شخص\w*|احد\w*|زوج\w*|صديق\w*|جار\w*|مدير\w*)"
    r"|(?:كيف|طريقة).{0,15}(?:اصنع|صنع|صناعة) (?:قنبلة|متفجرات|مخدر\w*)"
)

_ABOUT_PROTECTION = re.compile(
    r"^(?!.*\b(?:show|send|find|give|watch|download|where can i)\b)"
    r".*\b(?:laws?|protect\w*|prevent\w*|effects?|education|victims?|detect\w*|abuse)\b"
)
_INVENTED_OR_SCHOLARLY = re.compile(f"{_FICTION.pattern}|{_SCHOLARLY.pattern}")

_RULES: tuple[tuple[Topic, re.Pattern[str], re.Pattern[str]], ...] = (
    ("adult", _CHILD_SEX, _ABOUT_PROTECTION),
    ("harm", _HARM, _INVENTED_OR_SCHOLARLY),
    ("adult", _ADULT, _SCHOLARLY),
    ("politics", _POLITICS, _INVENTED_OR_SCHOLARLY),
    ("religion", _RELIGION, _INVENTED_OR_SCHOLARLY),
)
"""Topic, what it refuses, and what excuses it; the first rule that matches decides."""


def topic_of(text: str) -> Topic:
    """Return why a text is refused; empty when the rules see no reason.

    Args:
        text: Folded, on one line.
    """
    bare = text.strip(" .!?؟")
    for topic, pattern, excuse in _RULES:
        if pattern.search(bare):
            return "" if excuse.search(bare) else topic
    return ""
