/** Managers of the fields of a resource: Kubernetes' server-side apply. */
@Export
@Version("0.1.0")
package dev.holdfast.resource.json.fields;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
