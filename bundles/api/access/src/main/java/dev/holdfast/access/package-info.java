/**
 * Rights of callers: tokens, roles and bindings, the decision about a request; and subresources
 * with streamed bodies and documents that other bundles add to the API of a node.
 */
@Export
@Version("0.2.0")
package dev.holdfast.access;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
