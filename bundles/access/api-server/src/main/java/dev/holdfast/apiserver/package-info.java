/** The API server: Kubernetes' REST conventions for Holdfast's kinds, over any resource store. */
@Export
@Version("0.1.0")
package dev.holdfast.apiserver;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
