import Mustache

// A table has thousands of these values. With `MustacheParent`, a template finds a member by a string comparison
// instead of reflection, which took most of a page's rendering time.

extension Cell: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "text": self.text
        case "link": self.link.map { $0 as Any }
        case "instant": self.instant.map { $0 as Any }
        case "isNumber": self.isNumber
        case "isShort": self.isShort
        default: nil
        }
    }
}

extension Table.Row: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "cells": self.cells
        case "actions": self.actions
        default: nil
        }
    }
}

extension Link: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "label": self.label
        case "address": self.address
        case "isCurrent": self.isCurrent
        default: nil
        }
    }
}
