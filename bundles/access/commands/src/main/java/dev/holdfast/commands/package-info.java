/**
 * Output of the user commands as text and as JSON, from the results of {@code dev.holdfast.client}
 * and {@code dev.holdfast.host}. The command line and the Karaf shell use it.
 */
@Export
@Version("0.1.0")
package dev.holdfast.commands;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
