/** Controllers of shares: the choice of the node, and the work on that node. */
package dev.holdfast.sharing.internal;
