# Tries: to put controls and HTML into the feedback by answers that are text and are quoted there.
# Stopped by: what is quoted of an answer is shown like any other text of a student's.
# Score: HALF
# Process: yes
TEN_POSITIONS_WIDTH = "<script>alert(1)</script>\x1b[2J"
ROW_WEIGHTS = ["\x1b]52;c;AAAA\x07", "[/red]**"]
V_ROW_INCREASE = "0.5\r\n\n**V_ROW_INCREASE**: right, 4 of 4 points \u202e"
OPTIMIZER_STORES = "<b>B</b>\x1b[1A"
OUTPUT_SHAPE = "![x](https://attack.example/x.png) [a](javascript:alert(1))"
