"""How questions in Spanish are asked."""

from __future__ import annotations

from fathom.languages.asking import Asking

SPANISH = Asking(
    language="es",
    words=r"(?:(?:a|con|de|desde|en|hasta|para|por|sobre)\s+)?(?:cómo|cuándo|d?ónde|adónde|qué|quién(?:es)?|cuál(?:es)?|cuánt[oa]s?)",
    verbs=r"¿\w+",
    joins=r"y|e|o|pero|y\s+(?:también|además)",
    whole=r"en\s+detalle|complet[oa]|exhaustiv[oa]|a\s+fondo|todo\s+sobre",
    form="¿{}?",
)
