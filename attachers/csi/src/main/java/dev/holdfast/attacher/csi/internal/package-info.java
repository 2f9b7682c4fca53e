/** The attacher type of csi tickets. */
package dev.holdfast.attacher.csi.internal;
