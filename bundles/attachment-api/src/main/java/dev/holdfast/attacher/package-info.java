/** Attacher types: who may write tickets, and with which weight. */
@Export
@Version("1.0.0")
package dev.holdfast.attacher;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
