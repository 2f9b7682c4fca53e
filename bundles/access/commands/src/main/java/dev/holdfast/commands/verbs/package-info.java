/**
 * The table of all user commands. The command line and the Karaf shell create their commands from
 * it, so that a verb has the same arguments, options and effect in both.
 */
@Export
@Version("0.1.0")
package dev.holdfast.commands.verbs;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
