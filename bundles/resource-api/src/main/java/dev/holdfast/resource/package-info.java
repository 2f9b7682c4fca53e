/**
 * The resources that a user can see, with the shape of Kubernetes' own; values only, valid by
 * {@link dev.holdfast.resource.Resource#validate()}.
 */
@Export
@Version("1.2.0")
package dev.holdfast.resource;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
