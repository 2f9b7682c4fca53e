/** Controllers: properties, features, events, time limits, and the namespace behind each one. */
package dev.holdfast.frontend.nvmeof.internal.controller;
