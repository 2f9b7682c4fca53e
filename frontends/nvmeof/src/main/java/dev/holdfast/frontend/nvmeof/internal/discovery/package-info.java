/** The discovery controller: the subsystems of this node and the referrals to others. */
package dev.holdfast.frontend.nvmeof.internal.discovery;
