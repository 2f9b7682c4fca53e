/**
 * Attacher types: who may write tickets, and with which weight; and bases for their reconcilers.
 */
@Export
@Version("2.0.0")
package dev.holdfast.attacher;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
