import Mustache

// What a table has thousands of: a template finds a member here by a comparison, and otherwise by reflection, which took
// most of a page's time.

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
