/** Attacher types with their priorities and roles, and base classes for their reconcilers. */
@Export
@Version("2.0.0")
package dev.holdfast.attacher;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
