"""Reading and writing files: one module or package per format, registered in one visible dict."""
