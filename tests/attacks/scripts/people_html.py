# Tries: to run a script in the page that shows the feedback, or to close what the page has open.
# Stopped by: what a student wrote is escaped in pages, and never run.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("<script>document.title='attack'</script></script><!--</td></table><img src=x onerror=alert(1)>")
# %%
raise type("<b onmouseover=alert(1)>", (Exception,), {})("&lt;script&gt;alert(1)&lt;/script&gt; <svg/onload=alert(1)>")
# %%
raise ValueError('"><iframe src="javascript:alert(1)"></iframe><style>*{display:none}</style><base href="//a.example">')
