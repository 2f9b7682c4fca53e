/**
 * Parts that every store with its own state shares: the rules of writes and the feed of changes.
 */
@Export
@Version("0.1.0")
package dev.holdfast.store.runtime;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
