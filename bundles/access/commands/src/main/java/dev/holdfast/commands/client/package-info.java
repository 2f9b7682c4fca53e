/** Credentials of clients on this host, for the commands of clients. */
@Export
@Version("0.1.0")
package dev.holdfast.commands.client;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
