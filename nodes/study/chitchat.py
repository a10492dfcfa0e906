"""Tell greetings, thanks, farewells and talk about the assistant from questions."""

import re

from nodes.study.replies import Kind

_MOST_WORDS = 14

_GREETING = (
    r"(?:hi+|hey+|hello+|hiya|howdy|yo|greetings|hola|bonjour|salam|salaam|marhaba"
    r"|good (?:morning|afternoon|evening|day)|(?:a?s-?)?salam(?:u|o)? ?alai?kum"
    r"|what'?s up|sup|how (?:are|r) (?:you|u|things)(?: (?:doing|today|doing today))?"
    r"|how(?:'s| is) it going|how(?:'s| is) (?:everything|your day)(?: going)?"
    r"|how do you do|nice to meet you|are you (?:ok|okay|alright|well)"
    r"|السلام عليكم(?: ورحمة الله(?: وبركاته)?)?|وعليكم السلام|سلام|مرحبا(?: بك)?|مرحبتين"
    r"|اهلا(?: (?:وسهلا|بك))?|هلا|هاي|هالو|الو|صباح (?:الخير|النور)|مساء (?:الخير|النور)"
    r"|كيف (?:حالك|الحال|حالكم)|كيفك|شلونك|ازيك|عامل ايه|تشرفنا)"
)
_THANKS = (
    r"(?:thanks?(?: you)?|thank u|thx|tysm|ty|cheers|much appreciated|many thanks"
    r"|(?:i )?(?:really )?appreciate (?:it|that|this|your help|the help|you)"
    r"|you(?:'re| are) (?:the best|awesome|great|amazing)|great job|good job|well done"
    r"|that (?:helps|helped)|شكرا(?: (?:لك|لكم|جزيلا))?|الف شكر|مشكور|متشكر|اشكرك"
    r"|جزاك الله خيرا?|بارك الله فيك|تسلم|ممنون(?: لك)?|احسنت)"
)
_FAREWELL = (
    r"(?:good ?bye|bye(?:[- ]bye)?|see (?:you|ya|u)(?: (?:later|soon|tomorrow|around))?"
    r"|(?:it was )?nice (?:seeing|meeting|talking to|chatting with) you|farewell|take care"
    r"|good ?night|(?:talk|catch) (?:to )?you later|cya|ttyl|have a (?:nice|good|great) (?:day|one"
    r"|night|evening|weekend)|مع السلامة|الي اللقاء|الى اللقاء|وداعا|اراك لاحقا|نراك لاحقا"
    r"|تصبح علي خير|تصبح على خير|في امان الله|باي|سلامات)"
)
_PHRASES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("farewell", re.compile(rf"(?<!\w){_FAREWELL}(?!\w)")),
    ("thanks", re.compile(rf"(?<!\w){_THANKS}(?!\w)")),
    ("greeting", re.compile(rf"(?<!\w){_GREETING}(?!\w)")),
)
_FILLERS = frozenset(
    "a again ai all also and assistant bot buddy but dear doctor everything everyone for friend "
    "from guys help i i'd its it just know like lot man me much my need now ok okay please "
    "professor reply robot sir so study teacher team that the there this to today tomorrow "
    "trying very want was wow you your do did doing answer explanation later then well yeah yes "
    "no is of with "
    "يا استاذ استاذي دكتور صديقي اخي جدا كثيرا لك لكم تمام علي على المساعدة مساعدتك الشرح انت "
    "طيب حسنا اليوم كل شيء من و في الان ولك ايها المساعد اوكي نعم".split()
)
_WORD = re.compile(r"[\w']+")

_ABOUT = re.compile(
    r"(?:(?:so|and|please|ai|hey|hi|hello),? )*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell me|let me know) (?:if|whether|what|who) "
    r"|(?:tell me|i (?:need|want|must|would like|have)(?: you)? to know|may i know) "
    r"(?:if |whether |what |who )?)?(?:"
    r"(?:are|r) (?:you|u) (?:really )?(?:an? )?(?:\w+ )?(?:bot|robot|human|person|machine|computer"
    r"|ai|real|alive|program|chatbot|chatgpt|gpt|llm)\b(?: or (?:an? )?\w+)?"
    r"|(?:you|your|you'?re) (?:are )?an? (?:bot|robot|human|computer)(?: or (?:are )?an? \w+)?"
    r"|am i (?:talking|speaking|chatting) (?:to|with) an? .{0,40}"
    r"|who (?:are|r) (?:you|u)(?: exactly)?|what are you"
    r"|(?:what|who) is your (?:maker|creator|boss)"
    r"|(?:what(?:'s| is)|what was) your (?:\w+ )?name|what (?:can|do|should) i call you(?:, \w+)?"
    r"|what did they name you|do you have a name"
    r"|(?:who|what company) (?:made|created|built|programmed|designed|owns|controls|trained) "
    r"(?:you|u|this)|who (?:was|is) your (?:maker|creator|boss|owner)|who do you work for"
    r"|what (?:can|could) (?:you|u) (?:do|help)(?: (?:for|with|to|me)\b.{0,40})?"
    r"|(?:what|which) (?:types?|kinds?|sorts?) of (?:questions?|things?) (?:can|may) i ask(?: you)?"
    r"|(?:tell me )?(?:what|how) (?:you )?can (?:you )?help(?: me)?(?: with)?"
    r"|(?:i would like to know )?what you can (?:do|help)(?: me)?(?: with)?"
    r"|how do (?:you|u) work|how old are you|when(?:'s| is) your birthday|your date of birth"
    r"|where (?:are|do) you (?:from|come from|live|originate from|call home)"
    r"|(?:هل )?(?:انت|انتي) (?:بوت|روبوت|انسان|الي|حقيقي|ذكاء اصطناعي|شخص حقيقي|برنامج)"
    r"(?: (?:ام|او) \w+)?|(?:من|مين) (?:انت|انتي|صنعك|برمجك|طورك)|ما (?:هو )?اسمك|شو اسمك"
    r"|ما اسمك|ماذا (?:تستطيع|يمكنك) ان تفعل|(?:بماذا|كيف) (?:تستطيع|يمكنك) (?:ان )?(?:مساعدتي"
    r"|تساعدني)|كم عمرك|من اين انت)"
)
_SMALLTALK = re.compile(
    r"(?:(?:can|could|would) you |please )*(?:"
    r"(?:tell|give) me an? (?:\w+ )?joke|(?:heard|know|got) any (?:good )?jokes"
    r"|(?:do you )?know (?:a|any) "
    r"(?:good )?jokes?|make me laugh|sing (?:me )?(?:a song|something)"
    r"|i(?:'m| am) (?:so |really |very )?(?:bored|sad|happy|tired|lonely)|i love you|i like you"
    r"|do you (?:love|like) me|(?:do|did) you (?:own|have) (?:any )?(?:pets?|hobbies|friends"
    r"|feelings"
    r"|a (?:girlfriend|boyfriend|family|dog|cat))"
    r"|(?:what are|tell me|what about|do you have) (?:some of )?your (?:hobbies|interests)\b.{0,20}"
    r"|(?:what|how) (?:do|to) you (?:do|spend)(?: in| with| during)? your (?:free|spare) time"
    r"|what do you (?:do|like to do|engage in)(?: for fun| (?:in|during) your (?:free|spare) time)"
    r"|do you prefer (?:cats or dogs|dogs or cats)(?: more)?"
    r"|(?:lol|lmao|rofl|(?:ha){2,}h?|(?:he){3,}|ok(?:ay)?|cool|nice|great|awesome|wow)"
    r"|(?:احك|احكي|قل|قول|اخبرني|احكيلي)(?: لي)? نكتة|انا (?:حزين|سعيد|ملان|زهقان)|احبك"
    r"|ه{3,}|(?:طيب|تمام|حسنا|ممتاز|رائع|اوكي))"
)


def kind_of(text: str) -> Kind | None:
    """Return which kind of chitchat a text is; ``None`` when it is more than that.

    A greeting before a question is a question: whatever stands beside the phrases must be
    words that say nothing of their own.

    Args:
        text: Folded, on one line.
    """
    if len(text.split()) > _MOST_WORDS:
        return None
    bare = text.strip(" \t.!?؟،,;:)(-\"'“”…~*♥👋🙏😊🙂")
    if not bare:
        return None
    if _ABOUT.fullmatch(bare):
        return "about"
    if _SMALLTALK.fullmatch(bare):
        return "smalltalk"
    return _phrases_alone(text)


def _phrases_alone(text: str) -> Kind | None:
    found: Kind | None = None
    for kind, phrase in _PHRASES:
        text, times = phrase.subn(" ", text)
        found = found or (kind if times else None)
    left = _WORD.findall(text)
    return found if all(word in _FILLERS for word in left) else None
