/** Operations of users on system backups and on backups of images. */
@Export
@Version("0.1.0")
package dev.holdfast.client.backup;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
