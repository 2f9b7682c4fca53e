/** Operations of users on backups of volumes, of images and of the system. */
@Export
@Version("0.1.0")
package dev.holdfast.client.backup;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
