/** The directory layout and metadata files of Longhorn, which replicas keep. */
package dev.holdfast.engine.sparse.internal.layout;
