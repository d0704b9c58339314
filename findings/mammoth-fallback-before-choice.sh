#!/usr/bin/env bash
# mammoth 1.13.0 (PyPI): of alternatives in a Word document the fallback is read, also where the choice is plain text.
#
# Markup compatibility (ECMA-376 part 3) lets a document say something in two ways: mc:Choice for programs that know the
# namespaces it requires, mc:Fallback for all others. A choice that requires "w", the namespace of every Word document, is
# what each program shows. mammoth reads the fallback whatever the choice requires: a document whose fallback is empty
# loses the text, and one whose fallback differs gives another sentence than Word does, without a message.
# Seen: '(only for old programs)' in place of 'The gate opens at nine.', and messages [].
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
CHOICES = "http://schemas.openxmlformats.org/markup-compatibility/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
body = (
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="w"><w:t>The gate opens at nine.</w:t></mc:Choice>'
    "<mc:Fallback><w:t>(only for old programs)</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>"
)
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
    archive.writestr(
        "word/document.xml",
        f'<w:document xmlns:w="{SPACE}" xmlns:mc="{CHOICES}"><w:body>{body}</w:body></w:document>',
    )
found = mammoth.extract_raw_text(document)
print(repr(found.value.strip()), found.messages)
assert found.value.strip() == "(only for old programs)" and not found.messages, "it has changed"
PY
