/** DH-HMAC-CHAP and the keys of hosts. */
package dev.holdfast.frontend.nvmeof.internal.auth;
