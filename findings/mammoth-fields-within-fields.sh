#!/usr/bin/env bash
# mammoth 1.13.0 (PyPI): the result of a field that stands within another field's instruction comes out as text.
#
# Word writes "only if" as a field whose instruction holds other fields:
#     { IF { MERGEFIELD State } = "afloat" "in the water" "ashore" }
# Word shows the result of the outer one alone, "in the water". mammoth drops the instruction's own words and keeps the
# result of the inner field, so that the sentence reads "The boat is afloatin the water.", without a message.
# Seen: 'The boat is afloatin the water.' and messages [].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --disable-pip-version-check -q install 'mammoth==1.13.0'
"$folder/venv/bin/python" - <<'PY'
import io
import zipfile

import mammoth

SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def run(inner: str) -> str:
    return f"<w:r>{inner}</w:r>"


def mark(kind: str) -> str:
    return run(f'<w:fldChar w:fldCharType="{kind}"/>')


def code(text: str) -> str:
    return run(f'<w:instrText xml:space="preserve">{text}</w:instrText>')


def said(text: str) -> str:
    return run(f'<w:t xml:space="preserve">{text}</w:t>')


inner = mark("begin") + code(" MERGEFIELD State ") + mark("separate") + said("afloat") + mark("end")
outer = mark("begin") + code(" IF ") + inner + code(' = "afloat" "in the water" "ashore" ')
outer += mark("separate") + said("in the water") + mark("end")
body = f"<w:p>{said('The boat is ')}{outer}{said('.')}</w:p>"
document = io.BytesIO()
with zipfile.ZipFile(document, "w") as archive:
    archive.writestr(
        "[Content_Types].xml",
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    )
    archive.writestr(
        "_rels/.rels",
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
    )
    archive.writestr("word/document.xml", f'<w:document xmlns:w="{SPACE}"><w:body>{body}</w:body></w:document>')
found = mammoth.extract_raw_text(document)
print(repr(found.value), found.messages)
assert found.value.strip() == "The boat is afloatin the water." and not found.messages, "it has changed"
PY
