/** Layout of the pages of Identify and Get Log Page. */
package dev.holdfast.frontend.nvmeof.internal.page;
