/** Controllers of shares: where a share runs, and what its node does. */
package dev.holdfast.sharing.internal;
