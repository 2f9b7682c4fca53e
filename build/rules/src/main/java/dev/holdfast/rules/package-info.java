/** The rules of the tree's layout, and the counts that show how far it follows them. */
package dev.holdfast.rules;
