"""Methods of attribution, a file each; all of them give each word of a text a score."""
