/** Checks of this host, for the command {@code check}. */
@Export
@Version("0.1.0")
package dev.holdfast.commands.check;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
