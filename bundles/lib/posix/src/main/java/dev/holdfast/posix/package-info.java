/**
 * File operations of Linux that Java lacks: holes in sparse files, reads from the page cache, and
 * locks that a refused second attempt does not release.
 */
@Export
@Version("0.3.0")
package dev.holdfast.posix;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
