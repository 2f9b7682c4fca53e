/** The attacher of shares. */
package dev.holdfast.attacher.share.manager.internal;
