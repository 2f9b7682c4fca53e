/** A volume that another node has open, served here by passing requests on. */
package dev.holdfast.engine.sparse.internal.forward;
