"""In and out: one file per format, registered in one visible dict."""
