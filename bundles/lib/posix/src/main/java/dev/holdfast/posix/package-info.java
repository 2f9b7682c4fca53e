/**
 * File operations of Linux that Java does not have: holes in sparse files, reads without a disk,
 * locks that survive a refused second try.
 */
@Export
@Version("0.3.0")
package dev.holdfast.posix;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
