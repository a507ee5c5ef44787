"""sweep: links moved through their ranges, and what they pass through or come away from.

Nothing here trusts that a surface is closed: a point penetrates where its path crosses the other surface and it then
lies farther from that surface than a tolerance. What touches or overlaps at rest is left at that.
"""
