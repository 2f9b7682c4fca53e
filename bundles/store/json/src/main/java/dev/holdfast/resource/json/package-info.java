/** Resources as JSON in Kubernetes' shape. */
@Export
@Version("0.1.0")
package dev.holdfast.resource.json;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
