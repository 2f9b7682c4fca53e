/** Keeps the objects of a backup target as files below a directory. */
@Export
@Version("0.1.0")
package dev.holdfast.fileobjects;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
