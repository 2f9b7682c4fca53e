/**
 * The common parts of all resources: metadata, conditions, kinds and field checks. Resources are
 * immutable values in the form of Kubernetes resources; {@link
 * dev.holdfast.resource.Resource#validate()} reports invalid fields.
 */
@Export
@Version("2.0.0")
package dev.holdfast.resource;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
