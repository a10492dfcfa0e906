"""Small PDF files for tests."""

import io

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def pdf(
    *pages: str,
    title: str = "",
    password: str | None = None,
    owner: str = "",
    algorithm: str = "AES-256",
) -> bytes:
    """Make a PDF with a line of text on each page; a password encrypts it."""
    writer = PdfWriter()
    for text in pages:
        _add_page(writer, text)
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, owner or None, algorithm=algorithm)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _add_page(writer: PdfWriter, text: str) -> None:
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    content = DecodedStreamObject()
    content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
    page[NameObject("/Contents")] = writer._add_object(content)
