"""What a column of a text file is: decided from all its different texts, then read block by block."""

from learnt.data.kinds.deciding import decide as decide
from learnt.data.kinds.decision import Decision as Decision
from learnt.data.kinds.decision import finish as finish
from learnt.data.kinds.markers import is_usual_marker as is_usual_marker
from learnt.data.kinds.options import ReadOptions as ReadOptions
from learnt.data.kinds.sentinels import suspect_sentinels as suspect_sentinels
