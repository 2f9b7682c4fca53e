/**
 * Shares: volumes with access mode rwx that one node exports to many hosts. The kind {@link
 * dev.holdfast.share.ShareManager} describes a share; a plugin implements {@link
 * dev.holdfast.share.ShareServer}.
 */
@Export
@Version("1.0.0")
package dev.holdfast.share;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
