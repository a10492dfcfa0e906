"""The ready replies, in English and Arabic: chitchat, refusals, and what the fallback says."""

from typing import Literal

from state.study import Language, Topic

Kind = Literal["greeting", "thanks", "farewell", "about", "smalltalk"]

CHITCHAT: dict[Kind, dict[Language, str]] = {
    "greeting": {
        "en": "Hello! What would you like to study today?",
        "ar": "أهلًا بك! ماذا تودّ أن تدرس اليوم؟",
    },
    "thanks": {
        "en": "You are welcome. Ask away whenever the next question comes up.",
        "ar": "على الرحب والسعة. اسأل متى شئت.",
    },
    "farewell": {
        "en": "Goodbye, and good luck with your studies!",
        "ar": "إلى اللقاء، وبالتوفيق في دراستك!",
    },
    "about": {
        "en": "I am a study assistant, a program. Ask me about your course material, and I answer "
        "from documents and say which ones.",
        "ar": "أنا برنامج مساعد للدراسة. اسألني عن موادّك الدراسية، فأجيبك من المستندات "
        "وأذكر لك مصادري.",
    },
    "smalltalk": {
        "en": "I keep to studying. Which topic shall we look at?",
        "ar": "أنا هنا من أجل الدراسة. أيّ موضوع نتناول؟",
    },
}

REFUSALS: dict[Topic, dict[Language, str]] = {
    "gibberish": {
        "en": "I could not make sense of that. Please put your question in words.",
        "ar": "لم أفهم ما كتبته. من فضلك صُغ سؤالك بكلمات واضحة.",
    },
    "adult": {
        "en": "I do not help with adult content. I am glad to help with a study question.",
        "ar": "لا أقدّم محتوى للبالغين. يسعدني أن أساعدك في سؤال دراسي.",
    },
    "politics": {
        "en": "I do not take sides in politics. I am glad to explain how institutions work or what "
        "happened in history.",
        "ar": "لا أنحاز في السياسة. يسعدني أن أشرح كيف تعمل المؤسسات أو ما حدث في التاريخ.",
    },
    "religion": {
        "en": "I do not judge or advise in matters of faith. I am glad to explain the history or "
        "the teachings of religions.",
        "ar": "لا أفتي في أمور الدين ولا أفاضل بين الأديان. يسعدني أن أشرح تاريخها أو تعاليمها.",
    },
    "harm": {
        "en": "I cannot help with that. If you or someone else is in danger, please call your "
        "local emergency number, or talk to someone you trust.",
        "ar": "لا أستطيع المساعدة في ذلك. إن كنت أنت أو غيرك في خطر فاتصل برقم الطوارئ "
        "في بلدك، أو تحدّث مع شخص تثق به.",
    },
    "": {
        "en": "I cannot help with that request. I am glad to help with a study question.",
        "ar": "لا أستطيع المساعدة في هذا الطلب. يسعدني أن أساعدك في سؤال دراسي.",
    },
}

NOT_FOUND: dict[Language, str] = {
    "en": "The sources that were found do not contain the answer.",
    "ar": "المصادر التي عُثر عليها لا تحتوي على الإجابة.",
}

HYBRID_NOTICE: dict[Language, str] = {
    "en": "Low confidence: the sources found cover this question only in part.",
    "ar": "ثقة منخفضة: المصادر التي عُثر عليها لا تغطي هذا السؤال إلا جزئيًّا.",
}

KNOWLEDGE_NOTICE: dict[Language, str] = {
    "en": "Low confidence: no source was found for this. What follows is the model's general "
    "knowledge and was not checked.",
    "ar": "ثقة منخفضة: لم يُعثر على مصدر لهذا السؤال. ما يلي معرفة عامة من النموذج لم يُتحقّق منها.",
}

NO_KNOWLEDGE: dict[Language, str] = {
    "en": "Low confidence: no source was found that answers this, and I have no knowledge of my "
    "own to fall back on.",
    "ar": "ثقة منخفضة: لم يُعثر على مصدر يجيب عن هذا السؤال، وليس لديّ معرفة خاصة بي أرجع إليها.",
}

NO_EVIDENCE_REFUSED: dict[Language, str] = {
    "en": "Low confidence: no source was found that answers this, so I give no answer.",
    "ar": "ثقة منخفضة: لم يُعثر على مصدر يجيب عن هذا السؤال، لذلك لا أقدّم إجابة.",
}
