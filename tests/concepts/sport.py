"""Mitchell's EnjoySport: the table, its labels, and all values of its columns."""

from learnt.concepts import Language

ROWS = {
    "Sky": ["Sunny", "Sunny", "Rainy", "Sunny"],
    "AirTemp": ["Warm", "Warm", "Cold", "Warm"],
    "Humidity": ["Normal", "High", "High", "High"],
    "Wind": ["Strong", "Strong", "Strong", "Strong"],
    "Water": ["Warm", "Warm", "Warm", "Cool"],
    "Forecast": ["Same", "Same", "Change", "Change"],
}
LABELS = ["+", "+", "-", "+"]
VALUES = {
    "Sky": ["Sunny", "Cloudy", "Rainy"],
    "AirTemp": ["Warm", "Cold"],
    "Humidity": ["Normal", "High"],
    "Wind": ["Strong", "Weak"],
    "Water": ["Warm", "Cool"],
    "Forecast": ["Same", "Change"],
}
SPORT = Language.of(ROWS, values=VALUES)
